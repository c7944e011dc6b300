"""Sentences of three languages, put together from parts written for these tests."""

from __future__ import annotations

from itertools import product

PARTS = {
    "en": (
        ("the old baker", "my younger sister", "a tired traveller", "our new neighbour"),
        ("always brings", "seldom forgets", "was looking for", "would like to sell"),
        ("a basket of fresh apples", "the key to the garden", "some letters from the city"),
        ("before the sun goes down", "because nobody else wants it", "when the weather is good"),
    ),
    "de": (
        ("der alte Bäcker", "meine jüngere Schwester", "ein müder Reisender", "unser Nachbar"),
        ("bringt jeden Tag", "vergisst nur selten", "suchte schon wieder", "verkauft heute"),
        ("einen Korb voller Äpfel", "den Schlüssel zum Garten", "die Briefe aus der Stadt"),
        ("bevor die Sonne untergeht", "weil es sonst niemand will", "wenn das Wetter gut ist"),
    ),
    "fr": (
        ("le vieux boulanger", "ma petite sœur", "un voyageur fatigué", "notre nouvelle voisine"),
        ("apporte toujours", "oublie rarement", "cherchait encore", "voudrait bien vendre"),
        ("un panier de pommes fraîches", "la clé du jardin", "des lettres venues de la ville"),
        ("avant le coucher du soleil", "parce que personne n'en veut", "quand il fait beau"),
    ),
}


def lines_in(language: str, count: int = 144) -> list[str]:
    """Different sentences, again from the first after 144 of them."""
    sentences = [" ".join(parts) for parts in product(*PARTS[language])]
    return [sentences[number * 55 % len(sentences)] for number in range(count)]


def mixed(**counts: int) -> list[str]:
    """So many lines of every language."""
    return [line for language, count in counts.items() for line in lines_in(language, count)]
