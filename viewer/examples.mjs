// The examples for the page without a server: robot files, what they read, and an index with a title
// for each, taken from its name or the first comment of its text.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

const nameOf = (text) => text.match(/^name:\s*["']?(.+?)["']?\s*(#.*)?$/m)?.[1];

// The files that a robot file names outside its comments, and those that these include, by their paths from the folder.
function filesOf(name, folder, found = new Set()) {
    const text = readFileSync(`${folder}/${name}`, 'utf8').replace(/(^|\s)#.*$/gm, '');
    for (const path of text.match(/[\w./-]+\.(csv|stl|txt|yaml)\b/g) ?? []) {
        const file = posix.join(posix.dirname(name), path);
        if (found.has(file) || !existsSync(`${folder}/${file}`)) continue;
        found.add(file);
        if (file.endsWith('.yaml')) filesOf(file, folder, found);
    }
    return [...found];
}

export function copyExamples(from, to) {
    mkdirSync(to, { recursive: true });
    const index = [];
    const beside = new Set();
    for (const name of readdirSync(from).filter((file) => file.endsWith('.yaml')).sort()) {
        const text = readFileSync(`${from}/${name}`, 'utf8');
        if (!/^(rods|tubes):/m.test(text)) continue; // a study or a scenario, no robot
        const files = filesOf(name, from);
        copyFileSync(`${from}/${name}`, `${to}/${name}`);
        files.forEach((file) => beside.add(file));
        index.push({ name, title: nameOf(text) ?? name.replace('.yaml', '').replaceAll('-', ' '), files });
    }
    for (const file of beside) {
        mkdirSync(dirname(`${to}/${file}`), { recursive: true });
        copyFileSync(`${from}/${file}`, `${to}/${file}`);
    }
    writeFileSync(`${to}/index.json`, JSON.stringify(index));
}
