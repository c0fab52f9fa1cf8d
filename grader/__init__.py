"""Autograder for systems-programming labs."""

__version__ = "0.1.0"
