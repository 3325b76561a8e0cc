/** The schema's name of a kind, whatever group it comes from. */
import { structOfKind } from '../../api/index.ts';

/** "core.v1.Pod" of ("v1", "Pod"); kinds that belong to every group (DeleteOptions) are found under each of them. */
export function typeOfKind(apiVersion: string, kind: string): string | undefined {
  return structOfKind(apiVersion, kind)?.name;
}
