// The button that prints a book.

document.getElementById('print').addEventListener('click', () => print());
