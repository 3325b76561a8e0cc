/** Subresources that are a part of the object itself: its status, its approval. */
import type { Part } from '../call.ts';
import { get } from './get.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import type { Change } from './write.ts';

/** Reads answer with the whole object; writes change `part` of it alone. */
export function partHandlers(part: Change['part']): Part {
  return { verbs: { get, update: (call) => update(call, part), patch: (call) => patch(call, part) } };
}
