// Keys that work anywhere on the page, except where a person types.

function typing(target) {
    return target.matches?.('input[type=number], input[type=text], select, textarea') ?? false;
}

// actions: {key: action}; a button that has the focus keeps the space bar
// onCanvas: those of the scene, when it has the focus
export function listenToKeys(actions, canvas, onCanvas) {
    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
        if (event.key === ' ' && event.target.matches?.('button, summary, input[type=checkbox], input[type=radio]'))
            return;
        if (event.target === canvas && event.key in onCanvas) {
            event.preventDefault();
            onCanvas[event.key]();
            return;
        }
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    });
}
