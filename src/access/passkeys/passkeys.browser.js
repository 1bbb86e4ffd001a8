// Requests a passkey from the browser and submits its response with the form. The server does everything else.

for (const form of document.querySelectorAll('form[data-passkey]')) prepare(form);

function prepare(form) {
  const status = form.querySelector('[data-said]');
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
    status.textContent = 'This browser does not support passkeys. Update it, or use another sign-in method.';
    return;
  }
  status.textContent = '';
  form.querySelector('button').disabled = false;
  form.addEventListener('submit', async (event) => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    status.textContent = '';
    try {
      form.elements.credential.value = JSON.stringify(
        await requestCredential(form.dataset.passkey, JSON.parse(form.dataset.options)),
      );
      form.submit();
    } catch (error) {
      status.textContent = explain(error);
    }
  });
}

async function requestCredential(operation, options) {
  const credential =
    operation === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return credential.toJSON();
}

function explain(error) {
  if (error.name === 'NotAllowedError')
    return 'The request was canceled, timed out, or there is no matching passkey. Try again.';
  if (error.name === 'InvalidStateError') return 'This device already has a passkey for this account.';
  return `The browser could not use the passkey: ${error.message}`;
}
