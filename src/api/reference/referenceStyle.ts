/** The style of the reference: system fonts, nothing loaded, light or dark as the reader's system. */
export const referenceStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fffdf8, #1b1a18);
  --desk: light-dark(#f4f1e9, #131211);
  --ink: light-dark(#211f1b, #e6e1d6);
  --faint: light-dark(#5f594e, #aaa393);
  --rule: light-dark(#ddd7c9, #38352f);
  --accent: light-dark(#7a3b1d, #e0a37f);
  --good: light-dark(#1f6238, #8fcf9f);
  --bad: light-dark(#8c2323, #f0a0a0);
  --sans: ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { background: var(--paper); scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .18em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); z-index: 1; }
nav { padding: 1.5rem 1.25rem; background: var(--desk); border-bottom: 1px solid var(--rule); font-size: .9rem; }
nav p { margin: .9rem 0 .2rem; font-weight: 600; }
nav .title { margin-top: 0; font-size: 1.05rem; }
nav .title span { color: var(--faint); font-weight: 400; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: grid; grid-template-columns: 4em 1fr; padding: .15rem 0; line-height: 1.35; color: inherit; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
main { max-width: 62rem; padding: 1.5rem 1.25rem 6rem; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2; }
h2 { margin: 3.5rem 0 .5rem; padding-bottom: .3rem; border-bottom: 1px solid var(--rule); font-size: 1.45rem; }
h3 { margin: 2.5rem 0 .4rem; font-size: 1.15rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 1.4rem 0 .4rem; font-size: .95rem; }
p { margin: .5rem 0; }
code, pre { font-family: var(--mono); font-size: .86em; }
code { padding: .08em .3em; border-radius: 3px; background: color-mix(in srgb, var(--ink) 7%, transparent); }
pre { max-height: 26rem; overflow: auto; margin: .4rem 0; padding: .9em 1.1em; border-radius: 4px; background: color-mix(in srgb, var(--ink) 6%, transparent); line-height: 1.45; overflow-wrap: normal; }
pre code { padding: 0; background: none; font-size: inherit; }
.route code { font-size: .95em; }
.method { display: inline-block; min-width: 3.6em; font: 600 .75rem/1.6 var(--mono); color: var(--accent); }
.method.get { color: var(--good); }
.method.delete { color: var(--bad); }
.public { color: var(--faint); font-size: .85rem; }
.form, .type { margin-top: .9rem; color: var(--faint); font-size: .9rem; }
.status { display: inline-block; min-width: 2.6em; font: 600 .85rem/1.5 var(--mono); }
.s2, .s3 { color: var(--good); }
.s4, .s5 { color: var(--bad); }
details { margin: .35rem 0; padding: .45rem .8rem; border: 1px solid var(--rule); border-radius: 4px; }
summary { cursor: pointer; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { width: 100%; border-collapse: collapse; font-size: .88rem; }
caption { padding: .3rem 0; color: var(--faint); text-align: left; }
th, td { min-width: 6rem; padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
thead th { border-bottom-color: var(--faint); }
tbody th { font-weight: 400; }
tbody th code { white-space: nowrap; }
td:last-child { min-width: 13rem; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--rule); }
  main { padding: 2.5rem 3rem 6rem; }
}
@media print {
  :root { color-scheme: light; }
  nav, .skip { display: none; }
  pre { max-height: none; white-space: pre-wrap; }
}
`;
