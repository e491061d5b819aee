"use strict";
// Sorts a table by the column whose button was pressed: numbers by value, DNF as larger than all of
// them, "—" (cannot be said) and empty cells last in both directions.
(() => {
  const unknown = (text) => text === "" || text === "—";
  const value = (text) => {
    if (text.startsWith("DNF")) return Infinity;
    const number = Number.parseFloat(text.replace("−", "-"));
    return Number.isNaN(number) ? text : number;
  };
  const compare = (one, other) =>
    typeof one === "number" && typeof other === "number"
      ? (one === other ? 0 : one - other)
      : String(one).localeCompare(String(other));

  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const text = (row) => row.cells[column].textContent.trim();
    const rows = [...body.rows].sort((one, other) => {
      const [first, second] = [text(one), text(other)];
      if (unknown(first) || unknown(second)) return unknown(first) - unknown(second);
      return direction * compare(value(first), value(second));
    });
    body.append(...rows);
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const ascending = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
        sort(table, column, ascending ? 1 : -1);
      });
    });
  }
})();
