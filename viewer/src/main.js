// The page of `tendril view`: connects to the program that served it and builds the scene from its
// first message.
import './style.css';
import 'uplot/dist/uPlot.min.css';
import { applyTheme, currentTheme } from './theme.js';
import { Link } from './link.js';
import { Page } from './page.js';

applyTheme(currentTheme());
const token = new URLSearchParams(location.search).get('token') ?? '';
const link = new Link(token);
const page = new Page(link, token);
window.tendril = page; // for the console, and for tests
link.connect();
