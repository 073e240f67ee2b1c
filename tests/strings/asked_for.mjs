// Every string in assets/strings is asked for by the program: by its whole key, or by a key that begins as the source
// says ("certainty." + name). What nobody asks for weighs on the page and is looked after in three languages in vain.
//   node tests/strings/asked_for.mjs
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

const sources = ['core', 'web', 'assets'];
const files = (folder) => readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
  const path = join(folder, entry.name);
  return entry.isDirectory() ? files(path) : [path];
});

const written = new Set();
for (const path of sources.flatMap(files)) {
  if (!/\.(cpp|h|js|mjs|json)$/.test(path) || path.startsWith(join('assets', 'strings'))) continue;
  for (const [, literal] of readFileSync(path, 'utf8').matchAll(/"([A-Za-z0-9_.]+)"/g)) written.add(literal);
}
const beginnings = [...written].filter((literal) => /^\w{2,}.*[._]$/.test(literal));

const inVain = [];
for (const path of files(join('assets', 'strings'))) {
  for (const key of Object.keys(JSON.parse(readFileSync(path, 'utf8')))) {
    if (!written.has(key) && !beginnings.some((part) => key.startsWith(part))) inVain.push(`${path}: ${key}`);
  }
}
if (inVain.length) {
  console.error(`Nobody asks for these strings. Remove them, or say them:\n${inVain.join('\n')}`);
  process.exit(1);
}
