import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

const keywords = [
  'permit',
  'forbid',
  'when',
  'unless',
  'principal',
  'action',
  'resource',
  'context',
  'in',
  'is',
  'has',
  'like',
  'if',
  'then',
  'else',
  'true',
  'false',
];
const types = ['Action', 'Agent', 'Connection', 'Group', 'Member', 'decimal', 'datetime'];
const token = new RegExp(
  String.raw`(//.*)|("(?:[^"\\]|\\.)*")|(@\w+)|\b(${keywords.join('|')})\b|\b(${types.join('|')})\b`,
  'g',
);
const classes = ['cedar-comment', 'cedar-text', 'cedar-note', 'cedar-word', 'cedar-kind'];
const marks = classes.map((name) => Decoration.mark({ class: name }));

const matcher = new MatchDecorator({
  regexp: token,
  decoration: (match) => marks[match.slice(1).findIndex((piece) => piece !== undefined)],
});

/** Syntax colours of the visible text; the server validates it. */
export const cedarColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = matcher.createDeco(view);
    }

    update(update: ViewUpdate) {
      this.decorations = matcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);
