// Builds the page into dist/: one script, one style sheet, one font, nothing from the network.
//     node build.mjs                      for use
//     node build.mjs --watch              for work on the page
//     node build.mjs --static FOLDER TO   the page without a server into TO: the library that was compiled to
//                                         WebAssembly in FOLDER, and the examples
//     node build.mjs --parts TO           builds nothing: the files of npm packages that the page is built from into
//                                         TO, which can then stand for node_modules where npm cannot be asked
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { dirname, resolve } from 'node:path';
import { copyExamples } from './examples.mjs';

const esbuild = createRequire(import.meta.url)('esbuild'); // npm's, or Debian's by NODE_PATH

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const watch = process.argv.includes('--watch');
const local = process.argv.indexOf('--static');
const compiled = local > 0 ? resolve(process.argv[local + 1]) : null;
const to = (path) => (compiled ? resolve(process.argv[local + 2], path) : here(`dist/${path}`));

// What is bundled, with the licences that ask to be kept with it.
const BUNDLED = ['three', 'uplot', '@fontsource-variable/inter'];

function licences() {
    return BUNDLED
        .map((name) => `${name}\n\n${readFileSync(here(`node_modules/${name}/LICENSE`), 'utf8')}`)
        .join('\n----------------------------------------\n\n');
}

// Compiled code runs only where the page allows it to itself.
function indexPage() {
    const text = readFileSync(here('index.html'), 'utf8');
    if (!compiled) return text;
    return text.replace("default-src 'self'", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
}

// Not from the bundle that it brings: a Debian source package has to hold what people edit.
const threeFromItsSources = {
    name: 'three from its sources',
    setup: (build) => build.onResolve({ filter: /^three$/ }, () => ({ path: here('node_modules/three/src/Three.js') })),
};

const options = {
    absWorkingDir: here('.'),
    entryPoints: compiled
        ? { page: here('src/static.js'), worker: here('src/local/worker.js') }
        : { page: here('src/main.js') },
    external: ['./tendril.mjs'],
    plugins: [threeFromItsSources],
    outdir: to(''),
    bundle: true,
    minify: !watch,
    format: 'esm',
    target: ['chrome100', 'firefox100', 'safari15'],
    loader: { '.woff2': 'file' },
    assetNames: '[name]',
    legalComments: 'none',
    logLevel: 'warning',
};

async function copyParts(folder) {
    const { metafile } = await esbuild.build({ ...options, write: false, metafile: true });
    const used = Object.keys(metafile.inputs).filter((path) => path.startsWith('node_modules/'));
    const always = BUNDLED.flatMap((name) => [`${name}/package.json`, `${name}/LICENSE`]);
    for (const path of [...used.map((path) => path.replace('node_modules/', '')), ...always]) {
        mkdirSync(dirname(resolve(folder, path)), { recursive: true });
        copyFileSync(here(`node_modules/${path}`), resolve(folder, path));
    }
}

function copyPlain() {
    rmSync(to(''), { recursive: true, force: true });
    mkdirSync(to(''), { recursive: true });
    writeFileSync(to('index.html'), indexPage());
    copyFileSync(here('public/icon.svg'), to('icon.svg'));
    let words = licences();
    if (compiled) {
        for (const file of ['tendril.mjs', 'tendril.wasm']) copyFileSync(`${compiled}/${file}`, to(file));
        copyExamples(here('../examples'), to('examples'));
        words += `\n----------------------------------------\n\n${readFileSync(`${compiled}/parts/LICENSES.txt`, 'utf8')}`;
    }
    writeFileSync(to('LICENSES.txt'), words);
}

const parts = process.argv.indexOf('--parts');
if (parts > 0) {
    await copyParts(process.argv[parts + 1]);
} else {
    copyPlain();
    if (watch) await (await esbuild.context(options)).watch();
    else await esbuild.build(options);
}
