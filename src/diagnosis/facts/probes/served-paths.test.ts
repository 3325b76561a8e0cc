import { describe, expect, it } from 'vitest';
import { configMap, evidence, pod } from '../../evidence.fixtures.ts';
import { withFiles } from '../../rules/cases/cases.fixtures.ts';
import { podFacts } from '../pod/pod-facts.ts';
import { servedInstead } from './served-paths.ts';

const instead = (asked: string, file: string, text: string): string | undefined => {
  const facts = podFacts(evidence({ pod: pod(withFiles), configs: [configMap('app', { [file]: text })] }));
  const [container] = facts.containers;
  return container && servedInstead(facts, container, asked);
};

describe('the path that the code has', () => {
  it.each<[file: string, text: string, path: string]>([
    ['m.js', "const a=require('express')();a.get('/health',(q,r)=>r.send('ok'));a.listen(8080)", '/health'],
    ['app.py', '@app.route("/health")\ndef health():\n  return "ok"', '/health'],
    ['api.py', "app = FastAPI()\n@app.get('/livez')\ndef live(): return {}", '/livez'],
    ['s.py', "  def do_GET(self):\n    if self.path == '/ready': self.send_response(200)", '/ready'],
    ['main.go', 'http.HandleFunc("/status", func(w http.ResponseWriter, r *http.Request) {})', '/status'],
    ['main.go', 'mux.HandleFunc("GET /healthy", ok)', '/healthy'],
    ['srv.js', "if (req.url === '/ping') return res.end('pong')", '/ping'],
    ['app.rb', "get '/up' do\n 'ok'\nend", '/up'],
    ['Srv.java', 'server.createContext("/health", x -> {});', '/health'],
    ['index.php', "if ($_SERVER['REQUEST_URI'] === '/health') { echo 'ok'; }", '/health'],
    ['nginx.conf', 'server {\n  listen 80;\n  location = /health { return 200; }\n}', '/health'],
  ])('%s: %s', (file, text, path) => {
    expect(instead('/healthz', file, text)).toBe(`its code has ${path} (ConfigMap app, key ${file})`);
  });

  it.each<[what: string, asked: string, text: string]>([
    ['the path itself', '/healthz', "a.get('/healthz'); a.get('/health')"],
    ['the path itself, with a query', '/healthz?full=1', "a.get('/healthz'); a.get('/health')"],
    ['paths of other things', '/healthz', "a.get('/orders'); a.get('/items')"],
    ['too many that may be meant', '/healthz', "a.get('/health'); a.get('/ready'); a.get('/live')"],
    ['a file', '/healthz', "open('/health/state.json')"],
  ])('is not told of %s', (_what, asked, text) => {
    expect(instead(asked, 'm.js', text)).toBeUndefined();
  });

  it('is one of several that has a word of what is asked', () => {
    expect(instead('/api/orders/all', 'm.js', "a.get('/orders'); a.get('/items')")).toMatch(/^its code has \/orders /);
  });
});
