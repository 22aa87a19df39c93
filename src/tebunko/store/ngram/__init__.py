"""The 2-gram index: which content files can hold a text at all (``store/ngram/``; ours alone, may be lost without harm).

`fold` says which characters count as one, `keys` what is looked for, `build` which grams a content file has, `segment` how they lie
on disk, `manifest` which content files they are true of, `update` keeps all that up to date, `lookup` asks it.
"""
