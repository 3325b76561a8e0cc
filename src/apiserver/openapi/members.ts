/** The JSON of objects with thousands of members, made in steps. Pure. */
import type { Steps } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';

/** Characters of one step: less than a millisecond's work. */
const STEP_CHARACTERS = 64 * 1024;

/** The pieces of an object of these members, each of which is made when its turn comes. Names are there once. */
export function* membersInSteps(members: Iterable<readonly [string, () => object]>): Steps<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let text = '{';
  let isFirst = true;
  for (const [name, make] of members) {
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(make())}`;
    isFirst = false;
    if (text.length < STEP_CHARACTERS) continue;
    pieces.push(encodeText(text));
    text = '';
    yield;
  }
  pieces.push(encodeText(`${text}}`));
  return pieces;
}
