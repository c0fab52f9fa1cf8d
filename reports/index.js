// Sorting by keyboard and filtering. Without it the table is whole, in the order of the gradebook.
(() => {
  "use strict";
  const table = document.querySelector("table.sortable");
  const controls = document.getElementById("controls");
  const text = document.getElementById("filter-text");
  const mark = document.getElementById("filter-mark");
  const shown = document.getElementById("shown");

  // A head that sorts is a button, so that the keyboard reaches it and screen readers say what it is.
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
  }

  const plain = (words) => words.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const rows = Array.from(table.tBodies[0].rows, (row) => ({
    row,
    text: plain(row.textContent),
    marks: row.dataset.marks.split(" "),
  }));

  const filter = () => {
    const words = plain(text.value).split(/\s+/);
    let count = 0;
    for (const one of rows) {
      const fits = (!mark.value || one.marks.includes(mark.value)) && words.every((word) => one.text.includes(word));
      one.row.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
  };

  // A number elsewhere on the page leads to the rows that it counts.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-filter]");
    if (!link) return;
    text.value = link.dataset.filter;
    mark.value = link.dataset.mark ?? "";
    filter();
  });

  text.addEventListener("input", filter);
  mark.addEventListener("change", filter);
  controls.hidden = false;
  // A browser may have kept what was typed before the page was loaded again.
  filter();
})();
