// Builds the page into dist/: one script, one style sheet, one font, nothing from the network.
//     node build.mjs            for use
//     node build.mjs --watch    for work on the page
import * as esbuild from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const watch = process.argv.includes('--watch');

// What is bundled, with the licences that ask to be kept with it.
function licences() {
    return ['three', 'uplot', '@fontsource-variable/inter']
        .map((name) => `${name}\n\n${readFileSync(here(`node_modules/${name}/LICENSE`), 'utf8')}`)
        .join('\n----------------------------------------\n\n');
}

rmSync(here('dist'), { recursive: true, force: true });
mkdirSync(here('dist'));
copyFileSync(here('index.html'), here('dist/index.html'));
copyFileSync(here('public/icon.svg'), here('dist/icon.svg'));
writeFileSync(here('dist/LICENSES.txt'), licences());

const options = {
    entryPoints: { page: here('src/main.js') },
    outdir: here('dist'),
    bundle: true,
    minify: !watch,
    format: 'esm',
    target: ['chrome100', 'firefox100', 'safari15'],
    loader: { '.woff2': 'file' },
    assetNames: '[name]',
    legalComments: 'none',
    logLevel: 'warning',
};

if (watch) {
    await (await esbuild.context(options)).watch();
} else {
    await esbuild.build(options);
}
