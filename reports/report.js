// Buttons that copy what is to be pasted into a shell. Without them the lines can be selected.
(() => {
  "use strict";
  if (!navigator.clipboard) {
    return;
  }
  for (const lines of document.querySelectorAll("pre.shell")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(lines.textContent);
      button.textContent = "Copied";
    });
    lines.before(button);
  }
})();
