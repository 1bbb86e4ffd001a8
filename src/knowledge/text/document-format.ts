import path from 'node:path';

export type DocumentFormat = 'markdown' | 'text' | 'html' | 'code' | 'pdf';

const byExtension: Record<DocumentFormat, string> = {
  markdown: 'md markdown mdx mkd',
  text: 'txt text rst adoc asciidoc org log csv tsv tex srt vtt',
  html: 'html htm xhtml',
  pdf: 'pdf',
  code:
    'ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala groovy c h cc cpp cxx hpp hh cs fs vb swift m mm php pl pm lua r jl dart ' +
    'ex exs erl hrl clj cljs hs ml mli elm nim zig v sv vhd sh bash zsh fish ps1 bat sql graphql gql proto thrift tf tfvars hcl nix cue rego ' +
    'cedar vue svelte astro css scss less json jsonc json5 yaml yml toml ini cfg conf properties xml xsd xsl gradle cmake mk dockerfile ' +
    'prisma avsc',
};
const byName: Record<string, DocumentFormat> = {
  readme: 'text',
  license: 'text',
  changelog: 'text',
  authors: 'text',
  notice: 'text',
  codeowners: 'text',
  dockerfile: 'code',
  makefile: 'code',
  jenkinsfile: 'code',
  rakefile: 'code',
  gemfile: 'code',
  justfile: 'code',
};
const byMediaType: Record<string, DocumentFormat> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/json': 'code',
  'application/xml': 'code',
  'application/yaml': 'code',
  'application/sql': 'code',
  'application/javascript': 'code',
  'application/typescript': 'code',
  'text/javascript': 'code',
  'text/css': 'code',
};
const extensions = new Map(
  Object.entries(byExtension).flatMap(([reader, list]) =>
    list.split(' ').map((extension) => [extension, reader as DocumentFormat]),
  ),
);

/** The format of a file by its name; null if it is not supported. */
export function formatOfFile(name: string): DocumentFormat | null {
  const base = path.posix.basename(name).toLowerCase();
  const extension = path.posix.extname(base).slice(1);
  return (extension ? extensions.get(extension) : byName[base]) ?? null;
}

/** The format of a pushed or fetched text by its media type. Parameters such as charset are ignored. */
export function formatOfMediaType(mediaType: string): DocumentFormat | null {
  const essence = mediaType.split(';')[0].trim().toLowerCase();
  return (
    byMediaType[essence] ??
    (/[+/](json|xml)$/.test(essence) || essence.startsWith('text/x-')
      ? 'code'
      : essence.startsWith('text/')
        ? 'text'
        : null)
  );
}

export const mediaTypeByFormat: Record<DocumentFormat, string> = {
  markdown: 'text/markdown',
  text: 'text/plain',
  html: 'text/html',
  code: 'text/x-source',
  pdf: 'application/pdf',
};
