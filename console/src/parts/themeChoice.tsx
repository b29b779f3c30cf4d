import { useState } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { chooseTheme, readTheme, type Theme } from './theme.ts';

const themes: readonly Theme[] = ['auto', 'light', 'dark'];

export function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme);
  const choose = (text: string) => {
    const chosen = themes.find((candidate) => candidate === text) ?? 'auto';
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label class="theme small">
      {texts.theme.label}
      <select class="input" value={theme} onChange={(event) => choose(event.currentTarget.value)}>
        {themes.map((each) => (
          <option key={each} value={each}>
            {texts.theme[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
