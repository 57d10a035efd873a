// The other side in JavaScript: ajv, for the same lines as judge_lines.c. Run where `npm install ajv@8` was run.
const options = {strict: false, logger: false, validateFormats: false, validateSchema: false,
                 inlineRefs: false, code: {optimize: false}};
const classes = {'2020-12': require('ajv/dist/2020'), '2019-09': require('ajv/dist/2019'), 'draft-07': require('ajv')};
const lines = require('readline').createInterface({input: process.stdin});
const made = {};
let count = 0;

// What one compilation leaves behind is dropped now and then; making an instance is slow.
function instanceFor(name) {
  if (made[name] === undefined || count++ % 500 === 0) made[name] = new classes[name](options);
  return made[name];
}

function verdicts({dialect, schema, instances}) {
  const ajv = instanceFor(Object.keys(classes).find((name) => dialect.includes(name)));
  let validate;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    return '!' + String(error.message).split('\n')[0];
  }
  let text;
  try {
    text = instances.map((instance) => (validate(instance) ? '1' : '0')).join('');
  } catch (error) {
    text = '!' + error.name; // a reference that leads back in place overflows the stack
  }
  ajv.removeSchema(schema);
  for (const id of ['https://a.example/root', 'https://a.example/tree']) ajv.removeSchema(id);
  return text;
}

lines.on('line', (line) => process.stdout.write(verdicts(JSON.parse(line)) + '\n'));
