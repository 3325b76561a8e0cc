/** Knows the variables in which clients of clouds look for their credentials, which their errors do not name. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import type { Setting } from '../configs/setting.ts';
import { hasWord, listed } from '../words/text.ts';
import { namesSet } from './unset-variables.ts';

interface Client {
  readonly pattern: RegExp;
  readonly wants: readonly string[];
}

const CLIENTS: readonly Client[] = [
  {
    // botocore, the SDKs of Amazon for Java, JavaScript and Go, rclone, s3cmd.
    pattern:
      /NoCredentialsError|Unable to (?:locate|load) (?:AWS )?credentials|Could not load credentials from any providers|no (?:valid )?(?:EC2 IMDS role|credential ?providers?)|NoCredentialProviders|CredentialsProviderError/i,
    wants: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  },
  {
    pattern: /could not (?:automatically determine|find default) credentials|DefaultCredentialsError/i,
    wants: ['GOOGLE_APPLICATION_CREDENTIALS'],
  },
  {
    pattern: /DefaultAzureCredential|EnvironmentCredential(?:: | )authentication unavailable/i,
    wants: ['AZURE_CLIENT_ID', 'AZURE_TENANT_ID', 'AZURE_CLIENT_SECRET'],
  },
];

/** Which variables its client looks for, and its pod does not set. */
export function clientWants(facts: PodFacts, container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  const client = CLIENTS.find(({ pattern }) => pattern.test(line));
  const set = namesSet(facts, container);
  const lacked = (client?.wants ?? []).filter((name) => set?.has(name) !== true && !hasWord(says, name));
  if (client === undefined || lacked.length === 0) return undefined;
  return {
    says: `its client looks for ${listed(lacked)}, which its pod does not set`,
    quotes: [{ source: 'field', path: `${container.path}.env`, value: `does not set ${listed(lacked)}` }],
  };
}
