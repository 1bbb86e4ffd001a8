// Asks the browser for a passkey, and sends what it answers with the form that asked. Everything else is the server's.

for (const form of document.querySelectorAll('form[data-passkey]')) prepare(form);

function prepare(form) {
  const said = form.querySelector('[data-said]');
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
    said.textContent = 'This browser does not know passkeys, or is too old for them. Sign in another way.';
    return;
  }
  said.textContent = '';
  form.querySelector('button').disabled = false;
  form.addEventListener('submit', async (event) => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    said.textContent = '';
    try {
      form.elements.credential.value = JSON.stringify(
        await ask(form.dataset.passkey, JSON.parse(form.dataset.options)),
      );
      form.submit();
    } catch (error) {
      said.textContent = explain(error);
    }
  });
}

async function ask(what, options) {
  const credential =
    what === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return credential.toJSON();
}

function explain(error) {
  if (error.name === 'NotAllowedError')
    return 'Nothing happened: it was stopped, took too long, or there is no passkey.';
  if (error.name === 'InvalidStateError') return 'This device has a passkey for this account already.';
  return `The browser could not do it: ${error.message}`;
}
