/** Finds the paths that a container's own code or configuration serves, for a probe that asks for another. Pure. */
import { configTexts } from '../configs/config-texts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

/** Words before a path that is served: routes of frameworks, comparisons with what is asked for, locations of servers. */
const SERVED: readonly RegExp[] = [
  /(?:\.(?:get|all|use|route|handle|HandleFunc|add_url_rule|add_get|MapGet|add_route)|@(?:Get|Request|Path)\w*|\b(?:get|route|path|HandleFunc|Handle|mount|Route|MapGet|createContext|add_url_rule|map))\s?\(?\s?(?:"GET"\s?,\s?|'GET'\s?,\s?)?(?:r|f)?["'`](?:GET )?(\/[\w./-]{0,80})["'`]/g,
  /(?:\bpath|\burl|\buri|PATH_INFO|REQUEST_URI|RequestURI|\breq\.url|\bpathname|\bpath_info|getPath\(\)|\bp)["'\])\s]{0,4}(?:={2,3}|\beq\b|\bin\b|\.startswith\(|\.startsWith\(|=~|:?\s?===?)\s{0,2}\(?\[?["'`](\/[\w./-]{0,80})["'`]/g,
  /["'`](\/[\w./-]{0,80})["'`]\s?(?:={2,3}|\beq\b)\s?(?:\w+\.)?(?:path|url|uri|pathname)\b/g,
  /\bcase\s+["'`](\/[\w./-]{0,80})["'`]\s?:|\bwhen\s+["'](\/[\w./-]{0,80})["']/g,
  /^[ \t]{0,40}location[ \t]{1,8}(?:=[ \t]{0,8}|\^~[ \t]{0,8})?(\/[\w./-]{0,80})\s{0,40}\{/gm,
];
/** What looks like a path for probes. */
const OF_HEALTH = /health|ready|readi|live|ping|status|alive|up$|check|probe/i;
const MAX_TEXT = 64 * 1024;
const MAX_TOLD = 2;

/** "its code has /health (ConfigMap menu-code, key m.js)"; undefined: it has what is asked for, or no path that may be meant. */
export function servedInstead(facts: PodFacts, container: ContainerFacts, asked: string): string | undefined {
  const path = asked.replace(/[?#].*$/, '');
  const command = { at: 'command', text: commandText(container.spec, container.environment) };
  const found = [...configTexts(facts, container), command].flatMap(({ at, text }) =>
    pathsIn(text.slice(0, MAX_TEXT)).map((served) => ({ at, served })),
  );
  if (found.length === 0 || found.some(({ served }) => served === path)) return undefined;
  const words = path
    .toLowerCase()
    .split(/[/._-]+/)
    .filter((word) => word.length > 2);
  const isMeant = ({ served }: { readonly served: string }): boolean =>
    OF_HEALTH.test(served) || words.some((word) => served.toLowerCase().includes(word));
  const meant = found.filter(isMeant);
  const [first] = meant;
  const paths = [...new Set(meant.map(({ served }) => served))];
  if (first === undefined || paths.length > MAX_TOLD) return undefined;
  return `its code has ${paths.join(' and ')} (${first.at})`;
}

function pathsIn(text: string): readonly string[] {
  return SERVED.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, a, b]) => {
      const path = a ?? b;
      return path === undefined || path === '/' ? [] : [path];
    }),
  );
}
