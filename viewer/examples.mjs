// The examples for the page without a server: robot files, what they read, and an index with a title
// for each, taken from its name or the first comment of its text.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

const nameOf = (text) => text.match(/^name:\s*["']?(.+?)["']?\s*(#.*)?$/m)?.[1];

// Names of files that stand in a robot file.
function filesOf(text, folder) {
    const named = text.match(/[\w./-]+\.(csv|stl|txt|yaml)\b/g) ?? [];
    return [...new Set(named)].filter((name) => existsSync(`${folder}/${name}`));
}

export function copyExamples(from, to) {
    mkdirSync(to, { recursive: true });
    const index = [];
    const beside = new Set();
    for (const name of readdirSync(from).filter((file) => file.endsWith('.yaml')).sort()) {
        const text = readFileSync(`${from}/${name}`, 'utf8');
        if (!/^(rods|tubes):/m.test(text)) continue; // a study or a scenario, no robot
        const files = filesOf(text, from).filter((file) => file !== name && !file.endsWith('.yaml'));
        copyFileSync(`${from}/${name}`, `${to}/${name}`);
        files.forEach((file) => beside.add(file));
        index.push({ name, title: nameOf(text) ?? name.replace('.yaml', '').replaceAll('-', ' '), files });
    }
    for (const file of beside) copyFileSync(`${from}/${file}`, `${to}/${file}`);
    writeFileSync(`${to}/index.json`, JSON.stringify(index));
}
