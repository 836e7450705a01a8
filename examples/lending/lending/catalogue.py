"""Which books there are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Book:
    """One physical copy, known by its shelf mark."""

    mark: str
    title: str
    author: str


class UnknownBook(KeyError):
    """No book has this shelf mark."""


class Catalogue:
    """All books of the library."""

    def __init__(self) -> None:
        self._books: dict[str, Book] = {}

    def add(self, book: Book) -> None:
        """Put a book on the shelf; its mark must be free."""
        if book.mark in self._books:
            raise ValueError(f"shelf mark {book.mark} is taken")
        self._books[book.mark] = book

    def find(self, mark: str) -> Book:
        """The book with this shelf mark."""
        try:
            return self._books[mark]
        except KeyError:
            raise UnknownBook(mark) from None

    def by_author(self, author: str) -> list[Book]:
        """Every book of an author, by title."""
        found = (book for book in self._books.values() if book.author == author)
        return sorted(found, key=lambda book: book.title)
