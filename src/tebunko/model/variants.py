"""Kanji that are written in more than one way: old and new forms of the same character, and the variants names are full of.

Forgiving comparison takes the characters of one group for the same. The first of a group stands for all of it. A group is
in here only if people take its members for one character: pairs that merely share a reading or a meaning (坂 阪, 畑 畠) are
not. What Unicode itself makes equal (compatibility ideographs, so most of the forms that differ in 礻 示, 艹 and the like)
needs no group.

Sources: the table of forms of the Jōyō list (通用字体, いわゆる康熙字典体), the forms that JIS X 0208 exchanged in 1983 and
JIS X 0213 added in 2004, and the variants that family registers know.
"""

from __future__ import annotations

OLD_AND_NEW = """
亜亞 悪惡 圧壓 囲圍 医醫 為爲 壱壹 隠隱 栄榮 営營 衛衞 駅驛 円圓 塩鹽 縁緣 艶豔艷 応應 欧歐 殴毆 桜櫻 奥奧 横橫 温溫 穏穩
仮假 価價 画畫 会會 絵繪 壊壞 懐懷 拡擴 殻殼 覚覺 学學 岳嶽 楽樂 渇渴 缶罐 巻卷 陥陷 勧勸 寛寬 関關 歓歡 観觀 顔顏 気氣
既旣 帰歸 偽僞 亀龜 戯戲戱 犠犧 旧舊 拠據 挙擧 虚虛 峡峽 挟挾 狭狹 郷鄕 暁曉 区區 駆驅駈 勲勳 薫薰 径徑 茎莖 恵惠 掲揭
渓溪谿 経經 蛍螢 軽輕 継繼 鶏鷄雞 芸藝 撃擊 欠缺 研硏 県縣 倹儉 剣劍劒剱劔釼 険險 圏圈 検檢 献獻 権權 顕顯 験驗騐 厳嚴
戸戶户 呉吳 効效 広廣 恒恆 黄黃 鉱鑛礦砿 号號 告吿 国國圀 黒黑 砕碎 済濟 剤劑 雑雜 参參 桟棧 蚕蠶 惨慘 賛贊 残殘 糸絲 歯齒
児兒 辞辭 湿濕 実實 写寫冩 釈釋 寿壽夀 収收 従從从 渋澁澀 獣獸 縦縱 粛肅 処處 緒緖 叙敍敘 将將 称稱 焼燒 証證 奨奬獎 条條
状狀 乗乘 浄淨 剰剩 畳疊疉 縄繩 壌壤 嬢孃 譲讓 醸釀 触觸 嘱囑 真眞 寝寢 慎愼 尽盡 図圖 粋粹 酔醉 穂穗 随隨 髄髓 枢樞 数數
瀬瀨 声聲 静靜 窃竊 摂攝 専專 浅淺 戦戰 践踐 銭錢 潜潛 繊纖纎 禅禪 双雙 壮壯 争爭 荘莊 捜搜 挿插揷 巣巢 曽曾 痩瘦 装裝
総總 騒騷 増增 蔵藏 臓臟 即卽 属屬 続續 堕墮 対對 体體軆躰 帯帶 滞滯 台臺 滝瀧 択擇 沢澤 担擔 単單 胆膽 団團 断斷 弾彈
遅遲 痴癡 虫蟲 昼晝 鋳鑄 庁廳 徴徵 聴聽 勅敕 鎮鎭 逓遞 鉄鐵鐡銕 点點 転轉 伝傳 灯燈 当當 党黨 盗盜 稲稻 闘鬪鬭 徳德悳
独獨 読讀 届屆 弐貳貮 悩惱 脳腦 覇霸 拝拜 廃廢 売賣 麦麥 発發 髪髮 抜拔 晩晚 蛮蠻 秘祕 浜濱濵 瓶甁 払拂 仏佛 併倂 並竝
餅餠 辺邊邉 変變 弁辨瓣辯 歩步 宝寶寳 豊豐 褒襃 翻飜 毎每 万萬 満滿 麺麵麪 黙默 弥彌 訳譯 薬藥 与與 予豫 余餘 誉譽
揺搖 様樣 謡謠 来來 頼賴 乱亂 覧覽 竜龍 両兩 猟獵 緑綠 涙淚泪 塁壘 礼禮 励勵 霊靈 齢齡 暦曆 歴歷 恋戀 炉爐 労勞 郎郞
楼樓 録錄 湾灣 青靑 清淸 絶絕 脱脫 説說 税稅 鋭銳 悦悅 閲閱 尚尙 教敎 査查 内內 産產 強强 渉涉 姉姊 娯娛 飲飮 概槪 隣鄰
舗舖 携攜 達逹 間閒 群羣 窓窗牕 床牀 氷冰 杯盃 聡聰 晋晉 尭堯 槙槇 遥遙 瑶瑤 桧檜 巌巖 凛凜 祢禰 禄祿 芦蘆 鴬鶯 蛎蠣
"""

NAMES = """
高髙 崎﨑嵜 斎齋斉齊 島嶋嶌 吉𠮷 土圡𡈽 柳栁桺 桑桒 橋𣘺槗 富冨 峰峯 船舩 館舘 杉杦 松枩 梅楳 鶴靏靍 彦彥 喜㐂 桝枡 園薗
野埜 柏栢 淵渕渊 熙煕 蓑簑 糾糺 翠翆 萌萠 蘇蘓 讃讚 村邨 秋穐龝 年秊 昂昻 毘毗 皐皋 卯夘 兎兔 爾尓 雁鴈 涼凉
奇竒 釜釡  曳曵 多夛 匆怱 彜彝 迺廼 協恊 映暎 棋棊 往徃 呑吞 場塲 垂埀 鎖鏁 留畱畄 略畧 鼓皷
"""

OTHER_FORMS = """
鯵鰺 撹攪 竃竈 潅灌 諌諫 頚頸 蕊蘂 靭靱 賎賤 壷壺 砺礪 梼檮 涛濤 迩邇 蝿蠅 侭儘 薮藪 篭籠 鴎鷗 繋繫 噛嚙 掴摑 填塡 頬頰
剥剝 叱𠮟 麹麴 箪簞 躯軀 醤醬 蝋蠟 屏屛 侠俠 蒋蔣 蝉蟬 嘘噓 祷禱 涜瀆 顛顚 莱萊 騨驒 焔焰 鹸鹼 掻搔 唖啞 溌潑 醗醱 繍繡
屡屢 嚢囊 倶俱 凾函 刃刄 卒卆 厩廐廏 紙帋 款欵 汚汙污 沈沉 況况 決决 減减 湊凑 却卻 厠廁 厨廚 呪咒 回囘 器噐 妊姙 妍姸
冤寃 并幷 棄弃 毀毁 煙烟 煮煑 珍珎 畝畆 蓋葢盖 稟禀 竪豎 筍笋 綿緜 聯聨 胸胷 脈脉 腸膓 稿稾 衆眾 裏裡 解觧 猪豬 職軄
輛輌 逃迯 鉤鈎 鑑鑒 址阯 陰隂 駄馱 婿壻聟 崖崕 倅伜 慚慙 鼠鼡 麩麸 劫刧 糧粮 恥耻 寇冦
"""


def variant_groups() -> list[str]:
    """The groups, each a text of the characters that are taken for the same; no character is in two of them."""
    groups: dict[str, str] = {}
    for group in f"{OLD_AND_NEW}{NAMES}{OTHER_FORMS}".split():
        groups.setdefault(group[0], group)
    return list(groups.values())


def variant_table() -> dict[str, str]:
    """For each character of a group but the first: the first."""
    return {other: group[0] for group in variant_groups() for other in group[1:]}
