/** Spellings of a path that one parser might take for another path; each changes one place of a plain path. */
export type Spelling = (path: string, at: number) => string;

/** Changes the segment at `at`, modulo the number of segments. */
function segment(change: (text: string) => string): Spelling {
  return (path, at) => {
    const parts = path.split('/').slice(1);
    const chosen = at % parts.length;
    return `/${parts.map((part, position) => (position === chosen ? change(part) : part)).join('/')}`;
  };
}

function encoded(text: string): string {
  return Array.from(text, (each) => `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}

export const SPELLINGS: readonly Spelling[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.toUpperCase(),
  (path) => encodeURI(path).replaceAll('/', '%2F'),
  (path) => path.replaceAll('/', '\\'),
  (path) => `${path};/namespaces/t1`,
  (path) => `${path}/../../t1`,
  (path) => `/healthz/..${path}`,
  (path) => `/api/v1/namespaces/t1/..${path}`,
  (path) => `http://127.0.0.1${path}`,
  segment(encoded),
  segment((text) => encoded(encoded(text))),
  segment((text) => encoded(text).toUpperCase()),
  segment((text) => `/${text}`),
  segment((text) => `./${text}`),
  segment((text) => `x/../${text}`),
  segment((text) => `%2e%2e/${text}`),
  segment((text) => `%2F${text}`),
  segment((text) => `${text}%2F..%2Ft2`),
  segment((text) => `${text}%00`),
  segment((text) => `${text}%00.t1`),
  segment((text) => `${text}%20`),
  segment((text) => `${text}%0a`),
  segment((text) => `${text}%c0%af`),
  segment((text) => `${text}%ef%bc%8f`),
  segment((text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`),
  segment((text) => `${text}?`),
  segment((text) => `${text}%3Fwatch=1`),
  segment((text) => `${text}:10250`),
  segment((text) => `https:${text}:10250`),
  segment((text) => text.replace('t2', 't1')),
  segment((text) => text.replace('t1', 't2')),
  segment((text) => (text === 'namespaces' ? 'namespaces/t1/namespaces' : text)),
  segment((text) => (text === 't1' ? 't1,t2' : text)),
  segment((text) => (text === 't1' ? '*' : text)),
  segment((text) => (text === 't1' ? '' : text)),
  segment((text) => (text === 'v1' ? 'v1/watch' : text)),
  segment((text) => (text === 'v1' ? 'v1/proxy' : text)),
];
