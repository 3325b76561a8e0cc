/**
 * Rewrites the links of a page that comes through a proxy, piece by piece, so that they lead through the proxy again (upstream:
 * apimachinery's proxy Transport). Pure. Text is Latin-1: each byte is a character, and tags are ASCII in every usual encoding.
 */

/** The attributes with links, by element (HTML 4 and 5). */
const LINKS: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null) as object, {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
});

/** Elements whose content is text, whatever it looks like. */
const RAW: ReadonlySet<string> = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
]);

/** A tag that is longer passes as it is: nothing of a page is kept beyond this. */
export const MAX_TAG_CHARACTERS = 16 * 1024;

const COMMENT = '<!--';

export class HtmlRewriter {
  readonly #rewrite: (link: string) => string;
  #kept = '';
  /** What ends the text that is passed through: the end tag of an element, or of a comment. */
  #until: string | undefined;

  /** @param rewrite the link that stands for a link of the page */
  constructor(rewrite: (link: string) => string) {
    this.#rewrite = rewrite;
  }

  /** The next piece of the page; the begin of a tag is kept until its end is known. */
  push(piece: string): string {
    const text = this.#kept + piece;
    this.#kept = '';
    const out: string[] = [];
    let at = 0;
    while (at < text.length) {
      const next = this.#until === undefined ? this.#markup(text, at, out) : this.#raw(text, at, this.#until, out);
      if (next === undefined) break;
      at = next;
    }
    return out.join('');
  }

  /** The rest, which was no tag after all. */
  end(): string {
    const rest = this.#kept;
    this.#kept = '';
    return rest;
  }

  /** Passes text until `until`; its own first characters may stand at the end of the piece. */
  #raw(text: string, at: number, until: string, out: string[]): number | undefined {
    const found = indexOfIgnoringCase(text, until, at);
    if (found < 0) {
      const safe = Math.max(at, text.length - until.length + 1);
      out.push(text.slice(at, safe));
      this.#kept = text.slice(safe);
      return undefined;
    }
    out.push(text.slice(at, found));
    this.#until = undefined;
    return found;
  }

  /** Passes text until the next tag, and the tag. Undefined: its end is not here yet. */
  #markup(text: string, at: number, out: string[]): number | undefined {
    const open = text.indexOf('<', at);
    if (open < 0) {
      out.push(text.slice(at));
      return undefined;
    }
    out.push(text.slice(at, open));
    if (text.startsWith(COMMENT, open)) {
      out.push(COMMENT);
      this.#until = '-->';
      return open + COMMENT.length;
    }
    const end = endOfTag(text, open);
    if (end === undefined && text.length - open < MAX_TAG_CHARACTERS) {
      this.#kept = text.slice(open);
      return undefined;
    }
    if (end === undefined) {
      // All of it is passed at once: each character of a hostile page is looked at once.
      out.push(text.slice(open, open + MAX_TAG_CHARACTERS));
      return open + MAX_TAG_CHARACTERS;
    }
    const tag = text.slice(open, end);
    const name = nameOfTag(tag);
    out.push(rewriteTag(tag, name, this.#rewrite));
    if (RAW.has(name)) this.#until = `</${name}`;
    return end;
  }
}

/** "a" of "<A href=…>"; "" of an end tag and of what is no tag. */
function nameOfTag(tag: string): string {
  let end = 1;
  while (end < tag.length && isNameCharacter(tag.charCodeAt(end))) end++;
  return tag.slice(1, end).toLowerCase();
}

function isNameCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** The position behind the ">" of a tag; one in quotes does not count. */
function endOfTag(text: string, open: number): number | undefined {
  const limit = Math.min(text.length, open + MAX_TAG_CHARACTERS);
  let quote = '';
  for (let at = open + 1; at < limit; at++) {
    const sign = text.charAt(at);
    if (quote !== '') {
      if (sign === quote) quote = '';
    } else if (sign === '>') return at + 1;
    // A quote opens a value alone: one in the middle of text is an apostrophe.
    else if ((sign === '"' || sign === "'") && /[=\s]/.test(text.charAt(at - 1))) quote = sign;
  }
  return undefined;
}

function rewriteTag(tag: string, name: string, rewrite: (link: string) => string): string {
  const links = LINKS[name];
  if (links === undefined) return tag;
  const out: string[] = [];
  let copied = 0;
  for (const { attribute, from, to } of attributesOf(tag, name.length + 1)) {
    if (!links.includes(attribute)) continue;
    out.push(tag.slice(copied, from), rewrite(tag.slice(from, to)));
    copied = to;
  }
  out.push(tag.slice(copied));
  return out.join('');
}

interface Attribute {
  readonly attribute: string;
  /** Where its value is, without quotes. */
  readonly from: number;
  readonly to: number;
}

/** The attributes with values, each character looked at once. */
function attributesOf(tag: string, start: number): readonly Attribute[] {
  const found: Attribute[] = [];
  const skip = (from: number, isIn: (sign: string) => boolean): number => {
    let at = from;
    while (at < tag.length && isIn(tag.charAt(at))) at++;
    return at;
  };
  const isSpace = (sign: string): boolean => /\s/.test(sign);
  for (let at = start; at < tag.length; ) {
    const begin = skip(at, (sign) => isSpace(sign) || sign === '/' || sign === '>');
    const end = skip(begin, (sign) => !isSpace(sign) && sign !== '=' && sign !== '>');
    const equals = skip(end, isSpace);
    if (tag.charAt(equals) !== '=') {
      at = Math.max(end, begin + 1);
      continue;
    }
    const value = skip(equals + 1, isSpace);
    const quote = tag.charAt(value);
    const isQuoted = quote === '"' || quote === "'";
    const from = isQuoted ? value + 1 : value;
    const to = skip(from, (sign) => (isQuoted ? sign !== quote : !isSpace(sign) && sign !== '>'));
    found.push({ attribute: tag.slice(begin, end).toLowerCase(), from, to });
    at = to + 1;
  }
  return found;
}

function indexOfIgnoringCase(text: string, wanted: string, from: number): number {
  const first = wanted.charAt(0);
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1))
    if (text.slice(at, at + wanted.length).toLowerCase() === wanted) return at;
  return -1;
}

/**
 * How a link of a page at `origin` ("http://10.1.1.1:80") is written when the page comes through the path `prefix`. Relative links and
 * those to other servers stay.
 */
export function throughProxy(prefix: string, origin: string): (link: string) => string {
  return (link) => {
    const path = link.startsWith(`${origin}/`) ? link.slice(origin.length) : link;
    const isOfServer = path.startsWith('/') && !path.startsWith('//');
    if (!isOfServer || path.startsWith(`${prefix}/`)) return link;
    return `${prefix}${path}`;
  };
}
