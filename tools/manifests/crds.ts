/** `deploy/crds.yaml`: our kinds for other API servers, by the same definitions that our own server begins with. */
import { dump } from 'js-yaml';
import { ownDefinitions } from '../../src/api/index.ts';

/** All definitions as one text. */
export function crdsYaml(): string {
  const head =
    '# Made by "npm run manifests" of src/api/schema/own-schema.ts, own-docs.ts and src/api/own-definitions/: change those.\n';
  return `${head}${ownDefinitions()
    .map((crd) => `---\n${dump(crd, { lineWidth: -1, noRefs: true })}`)
    .join('')}`;
}
