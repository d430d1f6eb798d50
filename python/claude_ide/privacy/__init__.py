"""Which files stay in the editor: no client, agent or model gets their names or their texts."""
