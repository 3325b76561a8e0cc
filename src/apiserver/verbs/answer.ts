/** Answers with objects whose conversion somebody else may do: it is asked for before the answer begins. */
import { StatusError } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { type Rendering, renderObject } from '../http/render.ts';
import { type Call, renderingOf } from '../call.ts';
import type { ObjectForm } from '../http/negotiate.ts';
import type { Registration } from '../registry/registration.ts';

/** One object in the form that the client asked for. Rejects with 500 for one that cannot be converted. */
export async function answerObject(
  call: Call,
  form: ObjectForm,
  status: number,
  item: CachedObject,
): Promise<HttpResponse> {
  const rendering = renderingOf(call, form);
  await prepareItems(rendering, [item]);
  return renderObject(rendering, status, item);
}

/** Makes these items ready to be rendered; undefined: they are. */
export function prepareItems(
  { registration, form }: Pick<Rendering, 'registration' | 'form'>,
  items: readonly CachedObject[],
): Promise<void> | undefined {
  // Metadata are the same in all versions, but for labels and annotations that a webhook changes.
  return form.as === 'metadata' ? undefined : prepareObjects(registration, items);
}

export function prepareObjects({ form }: Registration, items: readonly CachedObject[]): Promise<void> | undefined {
  return form?.elsewhere?.prepareServed(items.map(({ object }) => object));
}

/** Whether this is the answer of a conversion that somebody else could not do. */
export function isFailedConversion(call: Call, error: unknown): error is StatusError {
  return call.registration.form?.elsewhere !== undefined && error instanceof StatusError && error.code === 500;
}
