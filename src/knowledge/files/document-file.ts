import type { DocumentFormat } from '../text/document-format.js';

const mib = 2 ** 20;

/** Larger files are skipped and reported. */
export const maxDocumentBytes: Record<DocumentFormat, number> = {
  markdown: 2 * mib,
  text: 2 * mib,
  html: 4 * mib,
  code: mib,
  pdf: 20 * mib,
};

const generatedNames = [
  /\.min\.(js|css)$/,
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|packages\.lock\.json|\.pnp\.c?js)$/,
  /\.pb\.(go|cc|h)$|_pb2(_grpc)?\.pyi?$|\.(g|freezed)\.dart$|\.(designer|g)\.cs$|(_|\.)generated\.\w+$/i,
];

/** Whether the name is conventional for generated files, whose text is not worth searching. */
export const isGeneratedFile = (name: string): boolean => generatedNames.some((pattern) => pattern.test(name));
