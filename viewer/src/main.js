// The page of `tendril view`: connects to the program that served it and builds the scene from its
// first message.
import './style.css';
import 'uplot/dist/uPlot.min.css';
import { applyTheme, currentTheme } from './theme.js';
import { Link } from './link.js';
import { Page } from './page.js';
import { Messages } from './panel/status.js';

applyTheme(currentTheme());
const token = new URLSearchParams(location.search).get('token') ?? '';
const link = new Link(token);

try {
    window.tendril = new Page(link, token); // for the console, and for tests
    link.connect();
} catch (error) {
    new Messages().show('error', 'The scene cannot be drawn', error.message, { stay: true });
}
