import pytest

import lexalign


def test_every_public_name_is_there():
    for name in lexalign.__all__:
        assert getattr(lexalign, name) is not None


def test_functions_stay_functions_after_their_packages_were_imported():
    import lexalign.procrustes
    import lexalign.refinement

    assert callable(lexalign.refine)
    assert callable(lexalign.solve)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = lexalign.magic


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert lexalign.__version__ == version("lexalign")
