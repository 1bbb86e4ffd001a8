/* The rules of this project for oxlint. */

/** The properties of `form.getInputProps()` contain an error, which replaces one that is set before them. */
const inputErrorLast = {
  create: (context) => ({
    JSXOpeningElement({ attributes }) {
      const error = attributes.findIndex(({ name }) => name?.name === 'error');
      const isInputProps = ({ type, argument }) =>
        type === 'JSXSpreadAttribute' && argument.callee?.property?.name === 'getInputProps';
      if (error >= 0 && attributes.slice(error).some(isInputProps))
        context.report({ node: attributes[error], message: 'getInputProps() replaces this error: put it after' });
    },
  }),
};

export default { meta: { name: 'countersign' }, rules: { 'input-error-last': inputErrorLast } };
