/** The style of the page: system fonts, nothing loaded, light or dark as the reader's system. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fffdf8, #1b1a18);
  --desk: light-dark(#efece4, #121110);
  --ink: light-dark(#211f1b, #e6e1d6);
  --faint: light-dark(#6d675b, #a39c8d);
  --rule: light-dark(#ddd7c9, #38352f);
  --accent: light-dark(#7a3b1d, #e0a37f);
  --blank: light-dark(#f7e6b0, #4d3f16);
  --sans: ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { background: var(--desk); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  max-width: 46rem; margin: 3rem auto; padding: 4rem clamp(1.25rem, 8vw, 4.75rem) 3rem;
  background: var(--paper); color: var(--ink);
  border: 1px solid var(--rule); border-radius: 3px;
  box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 12px 40px rgb(0 0 0 / 7%);
  font: 1.0625rem/1.65 Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", Cambria, Georgia, "Liberation Serif", serif;
  overflow-wrap: anywhere; font-variant-numeric: oldstyle-nums proportional-nums;
}
header, footer, .note { font-family: var(--sans); font-variant-numeric: normal; }
header { margin-bottom: 2.75rem; padding-bottom: 1.25rem; border-bottom: 1px solid var(--rule); }
header p { margin: 0; }
.kind { font-size: .72rem; font-weight: 600; letter-spacing: .14em; text-transform: uppercase; color: var(--accent); }
header .name { margin: .35rem 0 .3rem; font-size: 1.2rem; font-weight: 600; line-height: 1.35; }
header .place { font-size: .85rem; color: var(--faint); }
.note {
  margin: 0 0 2rem; padding: .7rem 1rem; border-left: 3px solid var(--accent);
  background: color-mix(in srgb, var(--accent) 8%, transparent); font-size: .9rem; line-height: 1.5;
}
main { overflow-x: auto; }
main > :first-child { margin-top: 0; }
h1, h2, h3, h4, h5, h6 { margin: 2.2em 0 .6em; line-height: 1.25; text-wrap: balance; break-after: avoid; }
h1 { font-size: 1.85rem; letter-spacing: -.008em; font-weight: 600; }
h2 { font-size: 1.3rem; }
h3 { font-size: 1.1rem; }
h4, h5, h6 { font-size: 1rem; }
p, ul, ol, dl, blockquote, pre, table { margin: 0 0 1.05em; }
main p { text-wrap: pretty; }
ul, ol { padding-left: 1.6em; }
ol { padding-left: 2em; }
li { margin: .3em 0; list-style-position: outside; }
li.wide, ol.wide > li:not([value]), ol > li[value] ~ li:not([value]), ol > li:nth-child(n + 91):not([value]) { list-style-position: inside; }
li.wide > p:first-child { display: inline; }
li.wide > p:first-child + * { margin-top: 1.05em; }
li::marker { color: var(--faint); }
li > ul, li > ol { margin-bottom: 0; }
dt { font-weight: 600; }
dd { margin: 0 0 .6em 1.6em; }
blockquote { padding-left: 1.2em; border-left: 3px solid var(--rule); color: var(--faint); }
hr { margin: 2.4em auto; width: 6rem; border: 0; border-top: 1px solid var(--rule); }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .18em; }
u { text-decoration-thickness: 1px; text-decoration-color: var(--faint); text-underline-offset: .22em; }
mark { background: color-mix(in srgb, var(--accent) 14%, transparent); color: inherit; }
small { font-size: .86em; }
sub, sup { line-height: 0; }
code, pre, kbd, samp { font-family: var(--mono); font-size: .86em; font-variant-numeric: normal; }
code { padding: .1em .3em; border-radius: 3px; background: color-mix(in srgb, var(--ink) 6%, transparent); }
pre { padding: .9em 1.1em; border-radius: 3px; background: color-mix(in srgb, var(--ink) 5%, transparent); line-height: 1.5; white-space: pre-wrap; }
pre code { padding: 0; background: none; font-size: inherit; }
:is(small, sub, sup, code, kbd, samp) :is(small, sub, sup, code, kbd, samp) { font-size: inherit; }
table { width: 100%; border-collapse: collapse; font-size: .96em; font-variant-numeric: lining-nums tabular-nums; }
caption { padding-bottom: .5em; color: var(--faint); text-align: left; }
th, td { padding: .5em .8em .5em 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; overflow-wrap: break-word; }
td:last-child, th:last-child { overflow-wrap: anywhere; }
th { border-bottom-color: var(--faint); font-weight: 600; }
th:empty { padding: 0; }
.ledger { table-layout: fixed; font-size: .9em; line-height: 1.45; }
.ledger td { overflow-wrap: anywhere; }
.ledger td > small { display: block; color: var(--faint); }
.ledger th:first-child { width: 3rem; }
.accounts th:nth-child(2) { width: 32%; }
.blocks th:first-child { width: 7rem; }
.steps th:nth-child(2) { width: 7.2rem; }
.steps th:nth-child(3) { width: 28%; }
.center { text-align: center; }
.right { text-align: right; }
bdi { white-space: pre-line; }
pre bdi, .plain bdi { white-space: inherit; }
.blank { padding: 0 .2em; border-radius: 2px; background: var(--blank); color: var(--ink); }
.image { color: var(--faint); font-style: italic; }
.image::before { content: "["; }
.image::after { content: "]"; }
.plain { white-space: pre-wrap; }
footer { margin-top: 3.5rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); font-size: .82rem; line-height: 1.55; color: var(--faint); }
footer dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.4rem; margin: 0 0 1rem; }
footer dt { font-weight: 500; }
footer dd { margin: 0; color: var(--ink); }
footer p { margin: 0; }
.exact { font-family: var(--mono); font-size: .86em; line-height: 1.8; }
@media (max-width: 48rem) {
  body { margin: 0; border: 0; box-shadow: none; padding-top: 2.5rem; }
  footer dl { grid-template-columns: 1fr; gap: 0; }
  footer dd { margin-bottom: .6rem; }
}
@media (max-width: 32rem) {
  .ledger th:first-child { width: 2rem; }
  .blocks th:first-child { width: 5rem; }
  .steps th:nth-child(2) { width: 4.6rem; }
  .steps th:nth-child(3) { width: 22%; }
}
@media print {
  :root { color-scheme: light; }
  html, body { background: none; }
  body { max-width: none; margin: 0; padding: 0; border: 0; box-shadow: none; font-size: 11pt; }
  main a::after { content: " (" attr(href) ")"; color: var(--faint); font-size: .85em; }
  pre, table, footer { break-inside: avoid; }
  .ledger { break-inside: auto; }
  /* Paper does not scroll. */
  th, td { overflow-wrap: anywhere; }
  tr { break-inside: avoid; }
}
`;
