import { render } from 'preact';
import { App } from './app.js';
import { takeToken } from './data/token.js';
import { applyTheme, storedTheme } from './live/theme.js';

applyTheme(storedTheme());
render(<App token={takeToken(window)} />, document.getElementById('app')!);
