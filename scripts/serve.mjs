// Serves one file to this machine: node serve.mjs FILE PORT
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';

const [file, port] = process.argv.slice(2);
createServer((request, response) => {
  if (request.url.split(/[?#]/)[0] !== '/') return response.writeHead(404).end();
  response.writeHead(200, {'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store'});
  response.end(readFileSync(file));
}).listen(Number(port), 'localhost');
