/** Which changes of a container's spec restart it: its name and image alone (upstream: HashContainer, pickFieldsToHash). */
import type { Container } from '../../api/index.ts';
import { fnv1a32 } from '../../lib/index.ts';

/** The value of the annotation `io.kubernetes.container.hash`. */
export function containerHash(container: Container): string {
  return fnv1a32(JSON.stringify({ image: container.image ?? '', name: container.name }));
}
