export type Theme = 'auto' | 'light' | 'dark';
const key = 'agreements-theme';

const isTheme = (text: string | null): text is Theme =>
  text === 'auto' || text === 'light' || text === 'dark';

/** The reader's choice, or else the address's, which pages set when they frame the console. */
export function readTheme(): Theme {
  const asked = new URLSearchParams(location.search).get('theme');
  if (isTheme(asked)) return asked;
  const kept = localStorage.getItem(key);
  return isTheme(kept) ? kept : 'auto';
}

export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme(theme);
}
