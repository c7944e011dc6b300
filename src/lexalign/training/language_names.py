"""The names of languages, by their codes of ISO 639."""

from __future__ import annotations

_NAMES = """
af Afrikaans, am Amharic, an Aragonese, ar Arabic, ary Moroccan Arabic, arz Egyptian Arabic,
as Assamese, az Azerbaijani, ba Bashkir, be Belarusian, bg Bulgarian, bn Bengali, br Breton,
bs Bosnian, ca Catalan, ckb Central Kurdish, crh Crimean Tatar, cs Czech, cy Welsh, da Danish,
de German, el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque,
ext Extremaduran, fa Persian, fi Finnish, fo Faroese, fr French, fy Frisian, ga Irish,
gd Scottish Gaelic, gl Galician, gn Guarani, gu Gujarati, ha Hausa, he Hebrew, hi Hindi,
hr Croatian, ht Haitian Creole, hu Hungarian, hy Armenian, id Indonesian, ig Igbo, is Icelandic,
it Italian, ja Japanese, jv Javanese, ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean,
ku Kurdish, ky Kyrgyz, la Latin, lb Luxembourgish, lg Ganda, lij Ligurian, ln Lingala, lo Lao,
lt Lithuanian, ltg Latgalian, lv Latvian, mg Malagasy, mk Macedonian, ml Malayalam, mn Mongolian,
mr Marathi, ms Malay, mt Maltese, my Burmese, ne Nepali, nl Dutch, nn Nynorsk, no Norwegian,
oc Occitan, om Oromo, or Odia, pa Punjabi, pl Polish, ps Pashto, pt Portuguese, qu Quechua,
ro Romanian, ru Russian, rw Kinyarwanda, sa Sanskrit, sdh Southern Kurdish, se Northern Sami,
si Sinhala, sk Slovak, sl Slovenian, sn Shona, so Somali, sq Albanian, sr Serbian, st Sotho,
sv Swedish, sw Swahili, ta Tamil, te Telugu, tg Tajik, th Thai, tk Turkmen, tl Tagalog,
tr Turkish, tt Tatar, ug Uyghur, uk Ukrainian, ur Urdu, uz Uzbek, vec Venetian, vi Vietnamese,
vo Volapük, wa Walloon, wuu Wu Chinese, xh Xhosa, yo Yoruba, yue Cantonese, zh Chinese, zu Zulu
"""

NAMES = dict(entry.split(maxsplit=1) for entry in _NAMES.replace("\n", " ").split(","))
"""The English name of a language by its code."""

_CODES = {name.lower(): code for code, name in NAMES.items()} | {"nb": "no"}


def language_name(code: str) -> str:
    """The English name of a language, or its code if it has none here."""
    return NAMES.get(code, code)


def language_code(text: str) -> str:
    """The code for a code with or without a region, or for an English name.

    Examples
    --------
    >>> language_code("de-AT"), language_code("German"), language_code("gsw")
    ('de', 'de', 'gsw')
    """
    text = text.strip().lower()
    if text in _CODES:
        return _CODES[text]
    code = text.partition("-")[0].partition("_")[0]
    return _CODES.get(code, code)


def names_language(text: str) -> bool:
    """Whether a text names a language: a known name, or two or three letters."""
    code = language_code(text)
    return code in NAMES or (len(code) in (2, 3) and code.isascii() and code.isalpha())
