/** Asks how a server stores each field of an object in each empty form, and whether the removal of such a form is a change. */
import { isDeepStrictEqual } from 'node:util';
import { refusalOf, type Refusal, steady } from './answers.ts';
import { type Answer, type Base, bodyOf, type Call, collectionOf, DRY, inParallel, type Json } from './call.ts';
import { pathText, type Place, placesOf, type Types, valueAt, withValue, zeroForms } from './places.ts';

/** See README.md for the meaning of each field. */
export interface EmptyValueRow extends Partial<Refusal> {
  readonly kind: string;
  readonly path: string;
  readonly type: string;
  readonly sent?: unknown;
  readonly status: number;
  readonly got?: unknown;
  readonly same?: boolean;
  put?: string | number;
}

export interface AskOptions {
  readonly call: Call;
  readonly types: Types;
  /** The type of the object's kind. */
  readonly type: string;
  readonly parallel: number;
  /** Whether a place is asked about. */
  readonly isAsked: (path: string) => boolean;
  /** Whether a form is also tried without dry run, and removed by a PUT. */
  readonly tryPut: (row: EmptyValueRow) => boolean;
}

/** Kinds of which the PUT is tried: those that others act on when they change. A job needs a selector of its own for it. */
export const PUT_BASES: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job#manual', 'Pod', 'Service'];
const IDENTITY =
  /^(kind|apiVersion|metadata\.(name|generateName|namespace|uid|resourceVersion|finalizers.*|deletion.*))$/;

interface Tried {
  readonly row: EmptyValueRow;
  readonly place: Place;
  readonly form: unknown;
  readonly body: Json;
}

/** @throws Error when the server refuses the object as it is: then there is nothing to compare with */
export async function askEmptyValues(base: Base, options: AskOptions): Promise<readonly EmptyValueRow[]> {
  const { call, types, type, parallel } = options;
  const { name, object } = base;
  const plain = await call('POST', collectionOf(base) + DRY, object);
  if (plain.status !== 201) throw new Error(`${name} is refused: ${JSON.stringify(refusalOf(bodyOf(plain)))}`);
  const whole = steady(plain, object);
  // The metadata of a kind is tried once, not again for each of its variants.
  const places = placesOf(types, type, object).filter(
    ({ path }) =>
      (!name.includes('#') || !['kind', 'apiVersion', 'metadata'].includes(String(path[0]))) &&
      options.isAsked(pathText(path)),
  );
  const tried = new Map<Place, readonly Tried[]>();
  await inParallel(places, parallel, async (place) => {
    tried.set(place, await askPlace(base, place, whole, call));
  });
  const all = places.flatMap((place) => tried.get(place) ?? []);
  if (PUT_BASES.includes(name)) await askPuts(base, all, options);
  return all.map(({ row }) => row);
}

async function askPlace(base: Base, place: Place, whole: Json, call: Call): Promise<readonly Tried[]> {
  const { name, object } = base;
  const { path, set, element = false } = place;
  const about = { kind: name, path: pathText(path), type: place.type.replace(/[\w.]+\.(\w+)$/, '$1') };
  const forms = set && !element ? [undefined, ...zeroForms(place.type)] : zeroForms(place.type);
  const tried: Tried[] = [];
  let without = set ? undefined : whole;
  for (const form of forms) {
    const body = withValue(object, path, form);
    const answer = await call('POST', collectionOf(base) + DRY, body);
    const head = { ...about, ...(form === undefined ? {} : { sent: form }), status: answer.status };
    if (answer.status !== 201) {
      tried.push({ row: { ...head, ...refusalOf(bodyOf(answer)) }, place, form, body });
      continue;
    }
    const stored = steady(answer, body);
    const found = valueAt(stored, path);
    const got = found === undefined ? 'absent' : found;
    const isCompared = form !== undefined && without !== undefined && !element;
    const same = isCompared ? { same: isDeepStrictEqual(stored, without) } : {};
    if (form === undefined) without = stored;
    tried.push({ row: { ...head, got, ...same }, place, form, body });
  }
  return tried;
}

/** Creates the object with the form, then puts it without, and looks at metadata.generation. Not a dry run. */
async function askPuts(base: Base, tried: readonly Tried[], { call, tryPut }: AskOptions): Promise<void> {
  let serial = 0;
  const url = collectionOf(base);
  const fit = tried.filter(
    ({ row, form, place }) =>
      form !== undefined && row.status === 201 && place.element !== true && !IDENTITY.test(row.path) && tryPut(row),
  );
  await inParallel(fit, 1, async ({ row, place, body }) => {
    serial += 1;
    const name = `g${serial}`;
    const made = await call('POST', `${url}?fieldValidation=Strict`, renamed(body, name));
    if (made.status !== 201) {
      row.put = `create ${made.status}`;
      return;
    }
    const bare = renamed(withValue(base.object, place.path, undefined), name);
    row.put = outcomeOf(made, await call('PUT', `${url}/${name}?fieldValidation=Strict`, bare));
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', gracePeriodSeconds: 0 };
    await call('DELETE', `${url}/${name}`, options);
  });
}

function renamed(object: Json, name: string): Json {
  const { finalizers: _, ...metadata } = object['metadata'] as Json;
  return { ...object, metadata: { ...metadata, name } };
}

function outcomeOf(made: Answer, put: Answer): string | number {
  if (put.status !== 200) return put.status;
  const generation = (answer: Answer): unknown => (bodyOf(answer)['metadata'] as Json)['generation'];
  if (generation(put) === undefined) return 'none';
  return Number(generation(put)) > Number(generation(made)) ? 'raised' : 'kept';
}
