// What the page and the command contain and what built them, as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/).
//
//   node scripts/sbom.mjs                              prints it, for docs/sbom.spdx.json
//   node scripts/sbom.mjs --with index.html=FILE …     the same with the SHA-256 of what is published
//   node scripts/sbom.mjs --check docs/sbom.spdx.json  fails when its versions are not those that are pinned and built
//
// Versions are read where the build reads them: from the headers of libraries, from CMake's findings for compilers. The
// only date is that of the catalogue, so the same sources give the same text.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/** The parts of `pattern` in a text, or an error that names what was looked for. */
function part(text, pattern, what) {
  const found = pattern.exec(text);
  assert.ok(found, `${what} was not found`);
  return found.slice(1).join('.');
}

/** The folder that the build takes a library from: Debian's sources, the system's headers, or what CMake fetched. */
function folderOf(name, marker, ...places) {
  const fetched = ['native', 'web'].map((preset) => join(root, 'build', preset, '_deps', `${name}-src`));
  const found = [...places, ...fetched, ...fetched.map((folder) => join(folder, 'include'))]
    .find((folder) => existsSync(join(folder, marker)));
  assert.ok(found, `${name} was not found: scripts/setup.sh`);
  return (file) => readFileSync(join(found, file), 'utf8');
}

const cache = (preset, name) => part(read('build', preset, 'CMakeCache.txt'), RegExp(`^${name}:\\w+=(.*)$`, 'm'), name);

/** What the programs contain: each with its version as built and, where CMake may fetch it, as pinned. */
function contents() {
  const imgui = folderOf('imgui', 'imgui.h', join(root, 'build/third_party/imgui'));
  const sdl = folderOf('sdl2', 'SDL_version.h', join(root, 'build/third_party/sdl2/include'));
  const jsonVersion = 'nlohmann/detail/abi_macros.hpp';
  const json = folderOf('json', jsonVersion, '/usr/include', '/usr/local/include', '/opt/homebrew/include');
  const numbers = (text, ...names) =>
    names.map((name) => part(text, RegExp(`#define ${name}\\s+(\\d+)`), name)).join('.');
  const pin = (file, pattern) => part(read('cmake/third_party', file), pattern, `the version in ${file}`);
  const stb = (name, file) => ({
    name, version: part(imgui(file), RegExp(`${name}\\.h - v([\\d.]+)`), name), license: 'MIT',
    from: 'https://github.com/nothings/stb', purl: 'pkg:github/nothings/stb', in: ['page'],
  });
  const inter = join(cache('native', 'VRAM_INTER_FOLDER'), 'Inter-Regular.otf');
  const askFont = 'import sys; from fontTools.ttLib import TTFont; print(TTFont(sys.argv[1])["name"].getDebugName(5))';
  const python = ['/usr/bin/python3'].find((path) => existsSync(path)) ?? 'python3';
  const fontVersion = String(execFileSync(python, ['-c', askFont, inter]));
  return [
    {name: 'Dear ImGui', version: part(imgui('imgui.h'), /#define IMGUI_VERSION\s+"([^"]+)"/, 'IMGUI_VERSION'),
      pinned: pin('imgui.cmake', /# v([\w.]+)/), license: 'MIT', from: 'https://github.com/ocornut/imgui',
      purl: 'pkg:github/ocornut/imgui', in: ['page']},
    stb('stb_textedit', 'imstb_textedit.h'), stb('stb_truetype', 'imstb_truetype.h'),
    stb('stb_rect_pack', 'imstb_rectpack.h'),
    {name: 'SDL2', version: numbers(sdl('SDL_version.h'), 'SDL_MAJOR_VERSION', 'SDL_MINOR_VERSION', 'SDL_PATCHLEVEL'),
      pinned: pin('sdl2.cmake', /release-([\d.]+)\//), license: 'Zlib', from: 'https://github.com/libsdl-org/SDL',
      purl: 'pkg:github/libsdl-org/SDL', in: ['page']},
    {name: 'nlohmann-json',
      version: numbers(json(jsonVersion), ...['MAJOR', 'MINOR', 'PATCH'].map((one) => `NLOHMANN_JSON_VERSION_${one}`)),
      pinned: pin('json.cmake', /\/v([\d.]+)\.tar/), license: 'MIT', from: 'https://github.com/nlohmann/json',
      purl: 'pkg:github/nlohmann/json', in: ['page', 'command']},
    {name: 'Inter', version: part(fontVersion, /([\d.]+)/, 'the version of Inter'), license: 'OFL-1.1',
      from: 'https://github.com/rsms/inter', purl: 'pkg:github/rsms/inter', in: ['page']},
  ];
}

/** What builds them; of Emscripten its C and C++ libraries are in the page too. */
function tools() {
  const folder = join('build', 'native', 'CMakeFiles');
  const file = 'CMakeCXXCompiler.cmake';
  const compiler = read(folder, readdirSync(join(root, folder)).find((name) => existsSync(join(root, folder, name, file))),
                        file);
  const terser = JSON.parse(read('package-lock.json')).packages['node_modules/terser'].version;
  return [
    {name: 'Emscripten', version: String(execFileSync('emcc', ['-dumpversion'])).trim(), license: 'MIT',
      from: 'https://emscripten.org', purl: 'pkg:github/emscripten-core/emscripten', in: ['page'], builds: ['page']},
    {name: part(compiler, /CMAKE_CXX_COMPILER_ID "(\w+)"/, 'the compiler') === 'GNU' ? 'GCC' : 'Clang',
      version: part(compiler, /CMAKE_CXX_COMPILER_VERSION "([^"]+)"/, 'its version'),
      license: 'GPL-3.0-or-later WITH GCC-exception-3.1', from: 'https://gcc.gnu.org', builds: ['command']},
    {name: 'terser', version: terser, license: 'BSD-2-Clause', from: 'https://terser.org', purl: 'pkg:npm/terser',
      builds: ['page']},
  ];
}

const version = part(read('CMakeLists.txt'), /project\(vram VERSION ([\d.]+)/, 'the version of the project');
const idOf = (name) => `SPDXRef-${name.replace(/[^A-Za-z0-9.-]/g, '-')}`;

function packageOf({name, version: built, license, from, purl, sha256}) {
  return {
    name, SPDXID: idOf(name), versionInfo: built, downloadLocation: from ?? 'NOASSERTION', filesAnalyzed: false,
    licenseConcluded: license, licenseDeclared: license, copyrightText: 'NOASSERTION',
    ...(sha256 && {checksums: [{algorithm: 'SHA256', checksumValue: sha256}]}),
    ...(purl && {externalRefs: [{referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl',
      referenceLocator: `${purl}@${built}`}]}),
  };
}

function document(published) {
  const parts = contents(), built = tools();
  const products = {page: 'index.html', command: 'vram'};
  const relations = Object.values(products).map((name) => ['SPDXRef-DOCUMENT', 'DESCRIBES', idOf(name)]);
  for (const one of [...parts, ...built]) {
    for (const product of one.in ?? []) relations.push([idOf(products[product]), 'CONTAINS', idOf(one.name)]);
    for (const product of one.builds ?? []) relations.push([idOf(one.name), 'BUILD_TOOL_OF', idOf(products[product])]);
  }
  return {
    spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT', name: `vram-${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/vram-${version}`,
    creationInfo: {
      created: `${JSON.parse(read('assets/models.json')).date}T00:00:00Z`, creators: ['Tool: scripts/sbom.mjs'],
    },
    packages: [
      ...Object.values(products).map((name) => ({name, version, license: 'MIT', sha256: published[name]})),
      ...parts, ...built,
    ].map(packageOf),
    relationships: relations.map(([from, relationshipType, to]) =>
      ({spdxElementId: from, relationshipType, relatedSpdxElement: to})),
  };
}

/** Compilers and the date may be others on this machine; what is inside the programs may not. */
function check(path) {
  const written = new Map(JSON.parse(readFileSync(path, 'utf8')).packages.map((one) => [one.name, one.versionInfo]));
  const expected = [{name: 'index.html', version}, {name: 'vram', version}, ...contents()];
  const wrong = expected.flatMap(({name, version: built, pinned}) => [
    ...(written.get(name) === built ? [] : [`${name} is ${built}, ${path} says ${written.get(name)}`]),
    ...(pinned && pinned !== built ? [`${name} is ${built}, cmake/third_party pins ${pinned}`] : []),
  ]);
  if (wrong.length === 0) return;
  console.error(wrong.join('\n') + `\nnode scripts/sbom.mjs > ${path}`);
  process.exitCode = 1;
}

const [command, ...rest] = process.argv.slice(2);
if (command === '--check') {
  check(rest[0]);
} else {
  const sums = rest.map((pair) => pair.split('=')).map(([name, file]) =>
    [name, createHash('sha256').update(readFileSync(file)).digest('hex')]);
  console.log(JSON.stringify(document(Object.fromEntries(sums)), null, 2));
}
