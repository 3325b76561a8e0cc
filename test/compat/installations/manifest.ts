/** What the generators of installations make: plain manifests, and how they are written down. */
import { dump } from 'js-yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** What one project's release asks a cluster for. */
export interface Installation {
  /** Unique, and the namespace of everything that has one. */
  readonly name: string;
  /** Definitions first, then what a release's manifest contains. */
  readonly objects: readonly Manifest[];
  /** Objects of the definitions, which a user applies afterwards. */
  readonly custom: readonly Manifest[];
  /** A definition is too long for the annotation of an apply on the client. */
  readonly isServerSideOnly?: true;
}

/** Several documents in the form of a release's file: YAML, as generators of code write it. */
export function documents(objects: readonly Manifest[]): string {
  return objects.map((object) => `---\n${dump(object, { lineWidth: 80, noRefs: true })}`).join('');
}

export const definitionsOf = (objects: readonly Manifest[]): readonly Manifest[] =>
  objects.filter(({ kind }) => kind === 'CustomResourceDefinition');

/** Numbers that look random and are the same in each run: a linear congruential generator. */
export function numbers(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 97) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS =
  'the name of a object which holds when it is set and else default value for each one in this list that names other fields until its owner has been told about them so status may say why'.split(
    ' ',
  );

/** A description of about `words` words, with the line breaks and quotes that generated definitions have. */
export function prose(next: (below: number) => number, words: number): string {
  const parts: string[] = [];
  for (let count = 0; count < words; count += 1) {
    const word = WORDS[next(WORDS.length)] ?? 'a';
    if (count % 13 === 12) parts.push(`${word}.\n`);
    else if (count % 29 === 28) parts.push(`"${word}": \`${word}\``);
    else parts.push(word);
  }
  return parts.join(' ');
}
