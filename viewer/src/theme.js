// Light or dark: as the system says, until a person chooses.
const KEY = 'tendril-theme';

function stored() {
    try {
        return localStorage.getItem(KEY);
    } catch {
        return null;
    }
}

export function currentTheme() {
    const chosen = stored();
    if (chosen === 'light' || chosen === 'dark') return chosen;
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function applyTheme(theme) {
    document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme) {
    applyTheme(theme);
    try {
        localStorage.setItem(KEY, theme);
    } catch {
        // a browser that keeps nothing: the choice lasts as long as the page
    }
}
