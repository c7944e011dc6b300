"""Text with something in it to learn."""

import numpy as np
import pytest


def sentences(prefix: str = "", shared: int = 0, count: int = 600, seed: int = 0) -> list[str]:
    """Lines about one of four topics, whose words never meet those of another.

    A topic has twelve words; the first ``shared`` of them have no prefix.
    """
    generator = np.random.default_rng(seed)
    topics = [
        [f"{'' if number < shared else prefix}topic{topic}word{number}" for number in range(12)]
        for topic in range(4)
    ]
    return [" ".join(generator.choice(topics[line % 4], 12)) for line in range(count)]


@pytest.fixture
def corpus_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(sentences()) + "\n", encoding="utf-8")
    return path
