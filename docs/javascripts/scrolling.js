// Code and tables that are wider than the page scroll: with the keyboard, too, once they take focus.
const reach = () => {
  for (const part of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap, .md-typeset .tab")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
};
addEventListener("load", reach); // the theme has wrapped its tables by then
addEventListener("resize", reach);
