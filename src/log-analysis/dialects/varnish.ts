/** Varnish: `varnishlog` writes each header and each step of a request, whatever words these have; only its own errors say that something failed. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const varnish: Dialect = {
  name: 'varnish',
  recognises: anyOf(/^\*{1,4} {1,4}<< (?:Request|BeReq|Session) {1,4}>>/, /^-{1,4} {1,4}VCL_call {2,}/),
  noise: /^-{1,4} {1,4}(?!FetchError\b|Error\b|VCL_Error\b)[A-Z]\w{1,30}\b/,
};
