/** Containers that run and refuse their probes, as a part of their pods' histories. Pure. */
import type { ContainerHistory } from '../../api/index.ts';
import type { PodUID, PodView } from '../types.ts';
import type { PodBook } from './death-book.ts';
import type { FailedProbes } from './failed-probes.ts';
import { namesOf } from './pod-names.ts';

/** By pod; without their deaths. */
export type Refusing = ReadonlyMap<PodUID, PodBook>;

export function refusingContainers(views: readonly PodView[], refused: FailedProbes['refused']): Refusing {
  const books = views.map((view): PodBook => ({ ...namesOf(view.pod), containers: refusingIn(view, refused) }));
  return new Map(books.filter(({ containers }) => containers.length > 0).map((book) => [book.uid, book]));
}

function refusingIn({ observation }: PodView, refused: FailedProbes['refused']): readonly ContainerHistory[] {
  return (observation?.containers ?? []).flatMap(({ name, id, state }) => {
    const probes = state === 'running' ? refused(id) : [];
    return probes.length === 0 ? [] : [{ name, total: 0, deaths: [], refused: probes }];
  });
}

/** The book with what is refused now. */
export function withRefused(book: PodBook, refusing: PodBook | undefined): PodBook {
  if (refusing === undefined) return book;
  const known = book.containers.map((each) => {
    const refused = refusing.containers.find(({ name }) => name === each.name)?.refused;
    return refused === undefined ? each : { ...each, refused };
  });
  const others = refusing.containers.filter(({ name }) => book.containers.every((each) => each.name !== name));
  return { ...book, containers: [...known, ...others] };
}
