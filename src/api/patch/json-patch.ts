/**
 * JSON Patch (RFC 6902). Atomic: all operations or none; the input is never changed. Containers are copied when first
 * written to, so a patch costs what it touches.
 */
import { setOwn } from '../schema/set-own.ts';
import { equalJson } from '../validation/messages.ts';
import { MAX_COPIED_CHARACTERS, MAX_OPERATIONS } from './limits.ts';
import { checkDepth, isRecord, PatchError } from './patch-error.ts';
import { allSteps, STEP_SIZE, type Steps } from './steps.ts';

interface Operation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
}

/** The patched document. Throws `PatchError`. */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  return allSteps(jsonPatchSteps(document, patch));
}

/** As `applyJsonPatch`, in steps. */
export function* jsonPatchSteps(document: unknown, patch: unknown): Steps<unknown> {
  if (!Array.isArray(patch)) throw new PatchError('malformed', 'a JSON patch must be a list of operations');
  if (patch.length > MAX_OPERATIONS) {
    throw new PatchError(
      'too-large',
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  checkDepth(patch);
  const editor = new Editor(document);
  for (const [count, operation] of patch.map(parseOperation).entries()) {
    // One that copies or compares may be as much work as the whole document.
    const isLarge = operation.op === 'copy' || operation.op === 'test';
    if (isLarge || count % STEP_SIZE === STEP_SIZE - 1) yield;
    editor.apply(operation);
  }
  return editor.document;
}

function parseOperation(operation: unknown): Operation {
  if (!isRecord(operation)) throw new PatchError('malformed', 'an operation of a JSON patch must be an object');
  const { op, path, from, value } = operation;
  if (typeof op !== 'string') throw new PatchError('malformed', 'an operation of a JSON patch needs an "op"');
  if (typeof path !== 'string') throw new PatchError('malformed', `the "${op}" operation needs a "path"`);
  const needsValue = op === 'add' || op === 'replace' || op === 'test';
  const needsFrom = op === 'move' || op === 'copy';
  if (!needsValue && !needsFrom && op !== 'remove')
    throw new PatchError('malformed', `unknown operation ${JSON.stringify(op)}`);
  if (needsValue && !Object.hasOwn(operation, 'value'))
    throw new PatchError('malformed', `the "${op}" operation needs a "value"`);
  if (needsFrom && typeof from !== 'string') throw new PatchError('malformed', `the "${op}" operation needs a "from"`);
  return { op, path: parsePointer(path), from: needsFrom ? parsePointer(String(from)) : [], value };
}

/** RFC 6901: "" is the whole document, "/a~1b" the member "a/b". */
function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) {
    throw new PatchError('malformed', `${JSON.stringify(pointer)} is not a JSON pointer`);
  }
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Container = unknown[] | Record<string, unknown>;

/** Holds the document while the operations run on it. */
class Editor {
  document: unknown;
  /** Containers that this patch made: they may be changed in place. */
  readonly #owned = new WeakSet<object>();
  #copied = 0;

  constructor(document: unknown) {
    this.document = document;
  }

  apply({ op, path, from, value }: Operation): void {
    switch (op) {
      case 'add':
        return this.#add(path, value);
      case 'remove':
        this.#remove(path);
        return;
      case 'replace':
        return this.#replace(path, value);
      case 'move':
        return this.#move(from, path);
      case 'copy':
        return this.#add(path, this.#copy(this.#read(from)));
      default:
        if (!equalJson(this.#read(path), value)) throw inapplicable(`testing value ${pointerOf(path)} failed`);
    }
  }

  #read(path: readonly string[]): unknown {
    let value = this.document;
    for (const token of path) {
      if (!isContainer(value) || !has(value, token)) throw missing(path);
      value = get(value, token);
    }
    return value;
  }

  /** The container that holds the last token of `path`, made writable together with all above it. */
  #parent(path: readonly string[]): Container {
    let parent = this.#own(this.document, path);
    this.document = parent;
    for (const token of path.slice(0, -1)) {
      if (!has(parent, token)) throw missing(path);
      const child = this.#own(get(parent, token), path);
      put(parent, token, child);
      parent = child;
    }
    return parent;
  }

  #own(value: unknown, path: readonly string[]): Container {
    if (!isContainer(value)) throw missing(path);
    if (this.#owned.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    this.#owned.add(copy);
    return copy;
  }

  #add(path: readonly string[], value: unknown): void {
    const token = path.at(-1);
    if (token === undefined) {
      this.document = value;
      return;
    }
    const parent = this.#parent(path);
    if (!Array.isArray(parent)) return setOwn(parent, token, value);
    const position = token === '-' ? parent.length : positionOf(token);
    if (position === undefined || position > parent.length) throw missing(path);
    parent.splice(position, 0, value);
  }

  #replace(path: readonly string[], value: unknown): void {
    const token = path.at(-1);
    if (token === undefined) {
      this.document = value;
      return;
    }
    const parent = this.#parent(path);
    if (!has(parent, token)) throw missing(path);
    put(parent, token, value);
  }

  #remove(path: readonly string[]): unknown {
    const token = path.at(-1);
    if (token === undefined) throw inapplicable('the whole document can not be removed');
    const parent = this.#parent(path);
    if (!has(parent, token)) throw missing(path);
    const value = get(parent, token);
    if (Array.isArray(parent)) parent.splice(Number(token), 1);
    else delete parent[token];
    return value;
  }

  #move(from: readonly string[], path: readonly string[]): void {
    const inside = from.length < path.length && from.every((token, position) => token === path[position]);
    if (inside) throw inapplicable(`${pointerOf(from)} can not be moved into itself`);
    if (from.length === 0) return void this.#read(path);
    this.#add(path, this.#remove(from));
  }

  #copy(value: unknown): unknown {
    const text = JSON.stringify(value);
    this.#copied += text.length;
    if (this.#copied > MAX_COPIED_CHARACTERS)
      throw new PatchError('too-large', 'the copy operations of the JSON patch copy too much');
    return JSON.parse(text);
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function positionOf(token: string): number | undefined {
  return /^(0|[1-9]\d{0,9})$/.test(token) ? Number(token) : undefined;
}

function has(container: Container, token: string): boolean {
  if (!Array.isArray(container)) return Object.hasOwn(container, token);
  const position = positionOf(token);
  return position !== undefined && position < container.length;
}

function get(container: Container, token: string): unknown {
  return Array.isArray(container) ? container[Number(token)] : container[token];
}

function put(container: Container, token: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(token)] = value;
  else setOwn(container, token, value);
}

function pointerOf(path: readonly string[]): string {
  return path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function missing(path: readonly string[]): PatchError {
  return inapplicable(`there is nothing at ${JSON.stringify(pointerOf(path))}`);
}

function inapplicable(message: string): PatchError {
  return new PatchError('inapplicable', message);
}
