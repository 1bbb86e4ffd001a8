import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { getNonce } from 'get-nonce';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import './cedar.css';
import { cedarColours } from './cedar-colours.ts';

/** An error or warning of the server. Lines and columns count from 1. */
export interface Finding {
  message: string;
  help?: string | null;
  line: number;
  column: number;
  length: number;
}

export interface CedarHandle {
  /** Selects a range and scrolls to it. */
  show(start: number, end: number): void;
  showFinding(finding: Finding): void;
}

interface Props {
  label: string;
  value: string;
  onChange(text: string): void;
  errors: readonly Finding[];
  warnings: readonly Finding[];
  isReadOnly?: boolean;
  ref?: Ref<CedarHandle>;
}

/** Edits Cedar text. Tab moves to the next field. Load it by `import()` only: CodeMirror is large. */
export default function CedarEditor({ label, value, onChange, errors, warnings, isReadOnly = false, ref }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  useEffect(() => void (changed.current = onChange));

  useEffect(() => {
    const extensions = [...extensionsOf(label, isReadOnly), onTextChange((text) => changed.current(text))];
    const editor = new EditorView({ parent: host.current!, extensions });
    view.current = editor;
    return () => editor.destroy();
  }, [label, isReadOnly]);

  useEffect(() => {
    const { state, dispatch } = handleOf(view.current);
    if (state.doc.toString() !== value) dispatch({ changes: { from: 0, to: state.doc.length, insert: value } });
  }, [value, label, isReadOnly]);

  useEffect(() => {
    const { state, dispatch } = handleOf(view.current);
    const diagnostics = [
      ...errors.map((finding) => diagnostic(state.doc, finding, 'error')),
      ...warnings.map((finding) => diagnostic(state.doc, finding, 'warning')),
    ];
    dispatch(setDiagnostics(state, diagnostics));
  }, [errors, warnings, label, isReadOnly]);

  useImperativeHandle(ref, () => ({
    show: (start, end) => select(view.current, start, end),
    showFinding: (finding) => {
      const { from, to } = rangeOf(view.current!.state.doc, finding);
      select(view.current, from, to);
    },
  }));
  return <div ref={host} className="cedar" />;
}

const extensionsOf = (label: string, isReadOnly: boolean) => [
  EditorView.cspNonce.of(getNonce() ?? ''),
  lineNumbers(),
  history(),
  bracketMatching(),
  // a text from a file or an argument could look like another policy
  highlightSpecialChars({ addSpecialChars: /[\p{Cf}\p{Zl}\p{Zp}]/u }),
  EditorView.lineWrapping,
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
  EditorState.readOnly.of(isReadOnly),
  EditorState.tabSize.of(2),
  cedarColours,
];

const onTextChange = (notify: (text: string) => void) =>
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) notify(state.doc.toString());
  });

function handleOf(view: EditorView | null) {
  return { state: view!.state, dispatch: view!.dispatch.bind(view!) };
}

function select(view: EditorView | null, start: number, end: number): void {
  const length = view!.state.doc.length;
  view!.dispatch({ selection: { anchor: Math.min(start, length), head: Math.min(end, length) }, scrollIntoView: true });
  view!.focus();
}

function diagnostic(doc: Text, finding: Finding, severity: 'error' | 'warning'): Diagnostic {
  const { message, help } = finding;
  return { ...rangeOf(doc, finding), severity, message: help ? `${message} ${help}` : message };
}

/** Text that was typed during the check may have moved or removed the position of the finding. */
function rangeOf(doc: Text, { line, column, length }: Finding): { from: number; to: number } {
  const start = doc.line(Math.min(line, doc.lines));
  const from = Math.min(start.from + column - 1, doc.length);
  return { from, to: Math.min(from + length, doc.length) };
}
